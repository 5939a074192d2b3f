import AuthEngine
import AuthModel

/// The values that a client of the gateway keeps between two requests.
struct OpenWebState: Equatable {
    /// The session, sent back unchanged.
    var authorization: Secret?
    /// `x-guid`: identifies this installation, and stays the same when the user changes.
    var identifier: String
    /// `x-openweb-token`, if the gateway sent one.
    var token: Secret?
    /// The policy of the site, if it was fetched.
    var policy: OpenWebPolicy?

    /// Creates the state of a client without a session.
    init(identifier: String?) { self.identifier = identifier ?? Self.newIdentifier() }

    init(authorization: Secret?, extras: OpenWebExtras) {
        self.authorization = authorization
        identifier = extras.identifier
        token = extras.token
        policy = extras.policy
    }

    /// 128 random bits, spelled like a UUID of version 4 (RFC 9562 section 5.4).
    private static func newIdentifier() -> String {
        var bytes = [UInt8].random(count: 16)
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        return [bytes[0..<4], bytes[4..<6], bytes[6..<8], bytes[8..<10], bytes[10..<16]].map(\.hexadecimal).joined(separator: "-")
    }
}

/// The data of an OpenWeb session other than its Authorization, sealed together with it.
struct OpenWebExtras: Equatable {
    var identifier: String
    var token: Secret?
    /// The publisher's credential that a silent renewal uses.
    var publisherToken: Secret?
    /// The session at the publisher that identifies the user, also for renewals. Another account there would identify another user.
    var base: SessionName?
    /// The time of the last renewal after a refusal.
    var recoveredAt: Timestamp?
    var policy: OpenWebPolicy?

    init(_ state: OpenWebState, publisherToken: Secret? = nil, base: SessionName? = nil) {
        identifier = state.identifier
        token = state.token
        policy = state.policy
        self.publisherToken = publisherToken
        self.base = base
    }

    init(_ extras: JSONValue) {
        identifier = extras["guid"]?.string ?? OpenWebState(identifier: nil).identifier
        token = extras["openweb_token"]?.string.map { Secret($0) }
        publisherToken = extras["publisher_token"]?.string.map { Secret($0) }
        base = extras["base"]?.string.flatMap(SessionName.init)
        policy = extras["policy"].flatMap(OpenWebPolicy.init(kept:))
        recoveredAt = extras["recovered_at"]?.integer.map(Timestamp.init(milliseconds:))
    }

    /// The JSON value that is stored in the session's record.
    var json: JSONValue {
        .present(
            ("guid", .string(identifier)), ("openweb_token", token.map { .string($0.reveal()) }),
            ("publisher_token", publisherToken.map { .string($0.reveal()) }), ("base", base.map { .string($0.description) }),
            ("policy", policy?.json), ("recovered_at", recoveredAt.map { .number($0.milliseconds) }))
    }

    /// The header fields that are sent with every request to the gateway.
    var fields: [ResourceToken.Field] {
        [ResourceToken.Field("x-guid", identifier)] + (token.map { [ResourceToken.Field("x-openweb-token", $0.reveal())] } ?? [])
    }
}

/// The permissions of guests at a site: `policy.forceRegister` and `policy.allowGuestsToLike` of its configuration.
struct OpenWebPolicy: Equatable {
    /// Whether writing requires a user who is signed in.
    var forcesRegistration: Bool
    var letsGuestsVote: Bool

    /// The names of the members. The dot is part of each name, as in the vendor's own client.
    private enum Name {
        static let forceRegister = "policy.forceRegister"
        static let allowGuestsToLike = "policy.allowGuestsToLike"
    }

    /// Reads a site's configuration, whose `init` object has the keys directly; `nil` if there is no `init` object.
    init?(site document: JSONValue) {
        guard let start = document["init"] else { return nil }
        self.init(kept: start)
    }

    /// Reads ``json``; `nil` if it is not an object. A missing key has the vendor's own default.
    init?(kept document: JSONValue) {
        guard document.members != nil else { return nil }
        forcesRegistration = document[Name.forceRegister]?.bool ?? true
        letsGuestsVote = document[Name.allowGuestsToLike]?.bool ?? false
    }

    /// The JSON value that is stored in the session's record.
    var json: JSONValue {
        .object([
            .init(Name.forceRegister, .bool(forcesRegistration)), .init(Name.allowGuestsToLike, .bool(letsGuestsVote)),
        ])
    }

    /// The actions, and whether the vendor's own client requires a sign-in for each.
    var actions: [SessionCapability] {
        [SessionCapability("view", needsSignIn: false), SessionCapability("share", needsSignIn: false)]
            + ["comment", "reply", "edit", "delete", "own profile"].map {
                SessionCapability($0, needsSignIn: forcesRegistration)
            }
            + [SessionCapability("vote", needsSignIn: !letsGuestsVote)]
            + ["mute", "appeal"].map { SessionCapability($0, needsSignIn: true) }
    }
}
