import AuthModel

/// What the server's owner tells the provider.
extension OpenIDProvider {
    func set(_ misbehaviour: Misbehaviour) { self.misbehaviour = misbehaviour }
    func set(autoApproves username: String?) { autoApproves = username }
    func advance(by duration: Duration) { clockOffset.add(duration) }
    func rotateKeys() throws { keys = try keys.next() }
    func revokeEverything() { grants.revokeAll() }

    /// Adds a person, or replaces the one of that user name.
    func add(_ person: SandboxPerson) {
        people.removeAll { $0.username == person.username }
        people.append(person)
    }
}
