extension SignInRequest: WireValue {
    package func wire(_ texts: MessageTexts) -> JSONValue {
        .members(
            ("provider", .string(provider.text)), ("purpose", .string(purpose.word)),
            ("account", JSONValue(account)), ("flow", .string(flow.rawValue)), ("scopes", JSONValue(scopes.values)),
            ("login_hint", JSONValue(loginHint)), ("prompt", JSONValue(prompt)), ("max_age", maxAge.map { JSONValue.number($0) } ?? .null),
            ("acr_values", JSONValue(acrValues)), ("claims", JSONValue(claims)), ("ui_locales", JSONValue(uiLocales)),
            ("port", port.map { JSONValue.number($0) } ?? .null),
            ("timeout", timeout?.wire ?? .null), ("resources", JSONValue(resources)),
            ("surroundings", userEnvironment?.wire(texts) ?? .null),
            ("answers", answers.wire), ("other_choices", .bool(allowsOtherChoices)),
            ("replaces_session", .bool(replacesSession)))
    }

    package init(wire: JSONValue) throws(WireError) {
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
    package func wire(_ texts: MessageTexts) -> JSONValue {
        .members(
            ("remote", .bool(isRemote)), ("display", .bool(hasDisplay)), ("wsl", .bool(isWSL)),
            ("ssh_server", sshServer.map { .members(("address", .string($0.address)), ("port", .number($0.port))) } ?? .null))
    }

    package init(wire: JSONValue) throws(WireError) {
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
    package func wire(_ texts: MessageTexts) -> JSONValue { .members(("id", .string(id))).with(title.members("title", texts)) }

    package init(wire: JSONValue) throws(WireError) {
        let reader = try WireReader(wire, "step")
        self.init(id: try reader.text("id"), title: try reader.message("title"))
    }
}

extension SignInMethod: WireValue {
    package func wire(_ texts: MessageTexts) -> JSONValue {
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

    package init(wire: JSONValue) throws(WireError) {
        let reader = try WireReader(wire, "way")
        switch try reader.text("way") {
        case "browser": self = .browser(url: try reader.url("url"), redirect: try reader.text("redirect"))
        case "sign_up_page": self = .signUpPage(try reader.url("url"))
        case "device":
            self = .device(
                DeviceCodePrompt(
                    userCode: try reader.text("user_code"), page: try reader.url("page"),
                    completePage: try reader.optionalURL("complete_page"),
                    qrCode: try reader.texts("qr_code")))
        case "ssh_forward": self = .sshForward(command: try reader.text("command"))
        case "paste": self = .paste
        default: throw WireError(place: "way")
        }
    }
}

extension SignInForm: WireValue {
    package func wire(_ texts: MessageTexts) -> JSONValue {
        .members(("fields", fields.wire(texts)), ("refusal", refusal?.wire(texts) ?? .null)).with(title.members("title", texts))
    }

    package init(wire: JSONValue) throws(WireError) {
        let reader = try WireReader(wire, "form")
        self.init(
            title: try reader.message("title"), fields: try reader.list("fields"),
            refusal: try reader.value("refusal").map(AuthFailure.init(wire:)))
    }
}

extension SignInForm.Field: WireValue {
    package func wire(_ texts: MessageTexts) -> JSONValue {
        var members: [JSONValue.Member] =
            [
                .init("id", .string(id)), .init("kind", .string(kind.word)),
                .init("required", .bool(isRequired)), .init("suggestion", JSONValue(suggestion)),
            ] + label.members("label", texts)
        if case .choice(let choices) = kind { members.append(.init("choices", choices.wire(texts))) }
        return .object(members)
    }

    package init(wire: JSONValue) throws(WireError) {
        let reader = try WireReader(wire, "field")
        let kind: Kind
        switch try reader.text("kind") {
        case "text": kind = .text
        case "email": kind = .email
        case "secret": kind = .secret
        case "choice": kind = .choice(try reader.list("choices"))
        default: throw WireError(place: "kind")
        }
        self.init(
            id: try reader.text("id"), label: try reader.message("label"), kind: kind,
            isRequired: try reader.required("required", \.bool), suggestion: try reader.optional("suggestion", \.string))
    }
}

extension SignInForm.Field.Kind {
    /// The kind's name in the protocol.
    fileprivate var word: String {
        switch self {
        case .text: "text"
        case .email: "email"
        case .secret: "secret"
        case .choice: "choice"
        }
    }
}

extension SignInForm.Choice: WireValue {
    package func wire(_ texts: MessageTexts) -> JSONValue { .members(("value", .string(value))).with(title.members("title", texts)) }

    package init(wire: JSONValue) throws(WireError) {
        let reader = try WireReader(wire, "choice")
        self.init(try reader.required("value", \.string), title: try reader.message("title"))
    }
}

extension SignInForm.Answers {
    /// An object with one member per answer.
    var wire: JSONValue { .object(sorted { $0.key < $1.key }.map { .init($0.key, .string($0.value.reveal())) }) }

    /// Reads an object of texts; `nil` for anything else.
    init?(wire: JSONValue) {
        guard let members = wire.members else { return nil }
        self.init()
        for member in members {
            guard let text = member.value.string, text.utf8.count <= 4096 else { return nil }
            self[member.name] = Secret(text)
        }
    }
}
