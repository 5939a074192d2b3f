import AuthModel

/// The messages of an attempt, to check afterwards that a session is correct and that no text reveals a secret.
struct Evidence: Sendable {
    /// The last body of each place that was sent with status 200.
    var bodies: [Place: [UInt8]] = [:]
    /// The query strings of the redirects to the client's loopback address.
    var callbacks: [String] = []
    /// The challenges that a resource sent.
    var challenges: [String] = []
    /// The `state` and `nonce` of the authorization request, pushed or not, or the `state` of the end-session request.
    var state: String?
    var nonce: String?
    /// The authorization code, verifier, device code, tokens and client secrets of this attempt.
    var secrets: Set<String> = []

    /// Returns the last document that a place sent, parsed strictly.
    func document(_ place: Place) -> JSONValue? {
        // A reader may ignore a byte order mark (RFC 8259 section 8.1).
        bodies[place].flatMap { try? JSONValue(strict: $0.starts(with: [0xEF, 0xBB, 0xBF]) ? $0.dropFirst(3) : $0[...]) }
    }

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
        // A value shorter than any of our secrets can be part of a text by chance.
        if let secret, secret.utf8.count >= 16 { secrets.insert(secret) }
    }

    /// Records the secrets of an undamaged response.
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
