internal import AuthModel

extension WebResponse {
    /// The challenges of all `WWW-Authenticate` fields, in order. See ``ChallengeReader`` for what is skipped.
    public var challenges: [Challenge] {
        var reader = ChallengeReader()
        for field in headers where field.name.asciiLowercased() == "www-authenticate" { reader.read(field.value) }
        return reader.challenges.map { challenge in
            var challenge = challenge
            challenge.redactor = redactor
            return challenge
        }
    }
}
