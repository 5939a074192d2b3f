internal import AuthModel

/// What a site lets its guests do: `policy.forceRegister` and `policy.allowGuestsToLike` of its configuration.
struct OpenWebPolicy: Equatable {
    /// Whether writing takes somebody who is signed in.
    var forcesRegistration: Bool
    var letsGuestsVote: Bool

    /// The members' names; the dot is a part of each, as the vendor's own client decodes them.
    private enum Name {
        static let forceRegister = "policy.forceRegister"
        static let allowGuestsToLike = "policy.allowGuestsToLike"
    }

    /// Reads a site's configuration, where the keys lie flat in `init`; `nil` where it has no `init` object.
    init?(site document: JSONValue) {
        guard let start = document["init"] else { return nil }
        self.init(kept: start)
    }

    /// Reads ``json``; `nil` where it is no object. A key that is missing has the vendor's own default.
    init?(kept document: JSONValue) {
        guard document.members != nil else { return nil }
        forcesRegistration = document[Name.forceRegister]?.bool ?? true
        letsGuestsVote = document[Name.allowGuestsToLike]?.bool ?? false
    }

    /// As it is kept in the session's record.
    var json: JSONValue {
        .object([
            .init(Name.forceRegister, .bool(forcesRegistration)), .init(Name.allowGuestsToLike, .bool(letsGuestsVote)),
        ])
    }

    /// What the vendor's own client asks a sign-in for.
    var actions: [SessionCapability] {
        [SessionCapability("view", needsSignIn: false), SessionCapability("share", needsSignIn: false)]
            + ["comment", "reply", "edit", "delete", "own profile"].map { SessionCapability($0, needsSignIn: forcesRegistration) }
            + [SessionCapability("vote", needsSignIn: !letsGuestsVote)]
            + ["mute", "appeal"].map { SessionCapability($0, needsSignIn: true) }
    }
}
