internal import AuthEngine
internal import AuthModel

/// The rights of a site's guests: `policy.forceRegister` and `policy.allowGuestsToLike` of its configuration.
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
