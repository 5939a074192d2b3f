import AuthModel

/// What went over the wire during an attempt, as far as it shows afterwards whether a session is right, or whether a text tells a secret.
struct Evidence: Sendable {
    /// The last body of each place that went out with a 200.
    var bodies: [Place: [UInt8]] = [:]
    /// The queries that a browser was sent to the loopback address with.
    var callbacks: [String] = []
    /// What a resource wants to see, as it said it.
    var challenges: [String] = []
    /// What the authorization request said, pushed or not, or the request to end the provider's session.
    var state: String?
    var nonce: String?
    /// The code, verifier, tokens and codes of this attempt.
    var secrets: Set<String> = []

    /// The last document that a place sent, read strictly.
    func document(_ place: Place) -> JSONValue? { bodies[place].flatMap { try? JSONValue(strict: $0) } }

    mutating func note(_ request: RawRequest) {
        let fields = request.form + request.query
        func value(_ name: String) -> String? { fields.first { $0.name == name }?.value }
        for name in ["code", "code_verifier", "device_code", "refresh_token", "token", "client_secret", "client_assertion"] {
            note(secret: value(name))
        }
        if ["/authorize", "/par", "/logout"].contains(request.path) {
            if let state = value("state") { self.state = state }
            if let nonce = value("nonce") { self.nonce = nonce }
        }
    }

    mutating func note(secret: String?) {
        // What is shorter than any of ours may stand in a text by chance.
        if let secret, secret.utf8.count >= 16 { secrets.insert(secret) }
    }

    /// The secrets of an honest answer.
    mutating func note(honest answer: RawAnswer) {
        if let document = answer.json {
            let names = ["access_token", "refresh_token", "id_token", "device_code", "registration_access_token", "client_secret"]
            for name in names { note(secret: document[name]?.string) }
        }
    }

    mutating func note(delivered answer: RawAnswer, at place: Place) {
        if !answer.isSilent, let body = answer.deliveredBody { bodies[place] = body }
        if place == .resource { challenges += answer.headers.filter { $0.name.lowercased() == "www-authenticate" }.map(\.value) }
        if place.sendsBrowserOn, let location = answer.header("Location"), let mark = location.firstIndex(of: "?") {
            callbacks.append(String(location[location.index(after: mark)...]))
        }
    }
}
