internal import AuthModel

/// What a site's configuration says of guests: `policy.forceRegister` and `policy.allowGuestsToLike`.
struct OpenWebPolicy: Equatable {
    /// Whether writing takes somebody who is signed in.
    var forcesRegistration: Bool
    var letsGuestsVote: Bool

    /// From a site's configuration, or from what is kept of it; `nil` where that is no object.
    init?(_ document: JSONValue) {
        guard document.members != nil else { return nil }
        let policy = document["policy"] ?? document
        forcesRegistration = policy["forceRegister"]?.bool ?? true
        letsGuestsVote = policy["allowGuestsToLike"]?.bool ?? false
    }

    /// As it is kept in the session's record.
    var json: JSONValue { ["forceRegister": .bool(forcesRegistration), "allowGuestsToLike": .bool(letsGuestsVote)] }

    /// What the vendor's own client asks a sign-in for.
    var actions: [SessionAction] {
        [SessionAction("view", needsSignIn: false), SessionAction("share", needsSignIn: false)]
            + ["comment", "reply", "edit", "delete", "own profile"].map { SessionAction($0, needsSignIn: forcesRegistration) }
            + [SessionAction("vote", needsSignIn: !letsGuestsVote)] + ["mute", "appeal"].map { SessionAction($0, needsSignIn: true) }
    }
}
