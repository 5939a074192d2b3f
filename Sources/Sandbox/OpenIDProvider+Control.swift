import AuthModel

/// The controls that the server's owner uses.
extension OpenIDProvider {
    func set(_ faultSet: FaultSet) { self.faultSet = faultSet }
    func set(autoApproves username: String?) { autoApproves = username }
    func advance(by duration: Duration) { clockOffset.add(duration) }
    func rotateKeys() throws { keys = try keys.next() }
    func forgetClients() { registrations = [:] }
    func revokeEverything() { grants.revokeAll() }

    /// Approves or denies a waiting device with the code `userCode`, as the user at its verification page does; `nil` denies.
    ///
    /// - Returns: Whether a device waits with this code and the user exists.
    func decide(userCode: String, as username: String?) -> Bool {
        guard let waiting = grants.waitingDevice(userCode: userCode, now: now) else { return false }
        let request = authorization(for: waiting.device, code: waiting.code)
        guard let username else {
            _ = refuse(request, OAuthError("access_denied", "the user denied the request"))
            return true
        }
        guard user(username) != nil else { return false }
        _ = approve(request, username: username, scopes: request.scopes, browser: nil, since: now)
        return true
    }

    /// Adds a user, or replaces the user of that name.
    func add(_ user: SandboxUser) {
        users.removeAll { $0.username == user.username }
        users.append(user)
    }
}
