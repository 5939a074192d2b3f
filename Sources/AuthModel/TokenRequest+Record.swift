/// The record of the use of a token.
extension TokenRequest {
    /// The maximum length of ``destination``, in bytes.
    public static let destinationLimit = 200

    /// The purpose of the token for records: in the requester's words, otherwise the host of ``resource``.
    public var recordedDestination: String? { destination ?? resource?.origin.authority }

    /// The message for the activity: a credential that was issued for the token earlier was issued again, to which program, for what.
    public var keptCredentialMessage: UserMessage {
        UserMessage(
            "activity.token_kind_issued_for",
            [
                "kind": "phrase.kept_credentials", "destination": recordedDestination ?? "-", "caller": caller ?? "phrase.a_program",
                "terms": UserMessage.empty,
            ])
    }

    /// The message for the activity: the token was issued, to which program, for what.
    public var issuedMessage: UserMessage {
        let program = caller ?? "phrase.a_program"
        guard let recordedDestination else {
            return UserMessage("activity.token_issued", ["program": program, "restriction": restrictions.note])
        }
        return UserMessage(
            "activity.token_issued_for", ["program": program, "destination": recordedDestination, "restriction": restrictions.note])
    }
}
