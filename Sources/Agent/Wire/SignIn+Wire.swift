import AuthModel

extension SignInRequest: WireValue {
    var wire: JSONValue {
        .members(
            ("provider", .string(provider.text)), ("purpose", .string(purpose.word)),
            ("account", JSONValue(account)), ("flow", .string(flow.rawValue)), ("scopes", JSONValue(scopes.values)),
            ("login_hint", JSONValue(loginHint)), ("prompt", JSONValue(prompt)), ("max_age", maxAge.map { JSONValue.number($0) } ?? .null),
            ("acr_values", JSONValue(acrValues)), ("claims", JSONValue(claims)), ("ui_locales", JSONValue(uiLocales)),
            ("port", port.map { JSONValue.number($0) } ?? .null),
            ("timeout", timeout?.wire ?? .null), ("resources", JSONValue(resources)), ("surroundings", userEnvironment?.wire ?? .null),
            ("answers", answers.wire), ("other_choices", .bool(allowsOtherChoices)),
            ("replaces_session", .bool(replacesSession)))
    }

    init(wire: JSONValue) throws(WireError) {
        let reader = try WireReader(wire)
        func number(_ name: String, _ range: ClosedRange<Int64>) throws(WireError) -> Int? {
            try reader.optional(name) { value in value.integer.flatMap { range.contains($0) ? Int($0) : nil } }
        }
        self.init(provider: try reader.provider())
        purpose = try reader.optional("purpose") { value in Purpose.allCases.first { $0.word == value.string } } ?? .signIn
        account = try reader.optional("account") { value in value.string.flatMap { SessionName.isLabel($0) ? $0 : nil } }
        flow = try reader.optional("flow") { $0.string.flatMap(Flow.init(rawValue:)) } ?? .auto
        let scopes = try reader.optional("scopes", \.strings) ?? []
        guard scopes.allSatisfy(ScopeSet.isScope) else { throw WireError(place: "scopes") }
        self.scopes = ScopeSet(scopes)
        loginHint = try reader.optional("login_hint", Self.line)
        prompt = try reader.optional("prompt", Self.line)
        maxAge = try number("max_age", 0...Int64(Int32.max))
        acrValues = try reader.optional("acr_values", Self.line)
        claims = try reader.optional("claims", Self.line)
        uiLocales = try reader.optional("ui_locales", Self.line)
        port = try number("port", 1...65_535)
        timeout = try reader.optional("timeout") { value in Duration(wire: value).flatMap { $0 <= .zero ? nil : $0 } }
        resources = try reader.optional("resources", \.strings) ?? []
        answers = try reader.optional("answers", SignInForm.Answers.init(wire:)) ?? [:]
        allowsOtherChoices = try reader.optional("other_choices", \.bool) ?? false
        replacesSession = try reader.optional("replaces_session", \.bool) ?? false
        guard resources.allSatisfy({ Self.line(.string($0)) != nil }) else { throw WireError(place: "resources") }
        if reader.value("surroundings") != nil { userEnvironment = try reader.nested("surroundings") }
    }

    /// Returns text without control characters, at most 4096 bytes; `nil` for anything else.
    private static func line(_ value: JSONValue) -> String? {
        value.string.flatMap { text in
            text.utf8.count <= 4096 && !text.unicodeScalars.contains { $0.properties.generalCategory == .control } ? text : nil
        }
    }
}

extension SignInRequest.Purpose {
    fileprivate var word: String {
        switch self {
        case .signIn: "sign_in"
        case .signUp: "sign_up"
        case .recover: "recover"
        }
    }
}

/// The user's environment. The agent's own environment is that of the command that started it.
extension SignInEnvironment: WireValue {
    var wire: JSONValue {
        .members(
            ("remote", .bool(isRemote)), ("display", .bool(hasDisplay)), ("wsl", .bool(isWSL)),
            ("ssh_server", sshServer.map { .members(("address", .string($0.address)), ("port", .number($0.port))) } ?? .null))
    }

    init(wire: JSONValue) throws(WireError) {
        let reader = try WireReader(wire, "surroundings")
        self.init(
            isRemote: try reader.flag("remote"), hasDisplay: try reader.flag("display"), isWSL: try reader.flag("wsl"),
            sshServer: try reader.optional("ssh_server") { server in
                guard let address = server["address"]?.string, let port = server["port"]?.integer.flatMap(Int.init(exactly:)) else {
                    return nil
                }
                return SSHServer(address: address, port: port)
            })
    }
}

extension SignInStep: WireValue {
    var wire: JSONValue { .members(("id", .string(id))).with(title.members("title")) }

    init(wire: JSONValue) throws(WireError) {
        let reader = try WireReader(wire, "step")
        self.init(id: try reader.text("id"), title: try reader.message("title"))
    }
}

extension SignInMethod: WireValue {
    var wire: JSONValue {
        switch self {
        case .browser(let url, let redirect):
            .members(("way", "browser"), ("url", .string(url.text)), ("redirect", .string(redirect)))
        case .signUpPage(let url): .members(("way", "sign_up_page"), ("url", .string(url.text)))
        case .device(let device):
            .members(
                ("way", "device"), ("user_code", .string(device.userCode)), ("page", .string(device.page.text)),
                ("complete_page", JSONValue(device.completePage?.text)), ("qr_code", JSONValue(device.qrCode)))
        case .sshForward(let command): .members(("way", "ssh_forward"), ("command", .string(command)))
        case .paste: .members(("way", "paste"))
        }
    }

    init(wire: JSONValue) throws(WireError) {
        let reader = try WireReader(wire, "way")
        func url(_ name: String) throws(WireError) -> WebURL { try reader.required(name) { $0.string.flatMap(WebURL.init(_:)) } }
        switch try reader.text("way") {
        case "browser": self = .browser(url: try url("url"), redirect: try reader.text("redirect"))
        case "sign_up_page": self = .signUpPage(try url("url"))
        case "device":
            self = .device(
                DeviceCodePrompt(
                    userCode: try reader.text("user_code"), page: try url("page"),
                    completePage: try reader.optional("complete_page") { $0.string.flatMap(WebURL.init(_:)) },
                    qrCode: try reader.texts("qr_code")))
        case "ssh_forward": self = .sshForward(command: try reader.text("command"))
        case "paste": self = .paste
        default: throw WireError(place: "way")
        }
    }
}
