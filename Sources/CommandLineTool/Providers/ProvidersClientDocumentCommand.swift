internal import ArgumentParser
internal import AuthModel
internal import OAuth
internal import UserConfiguration

/// `yett providers client-document`: prints the client metadata document to host (draft-ietf-oauth-client-id-metadata-document).
struct ProvidersClientDocumentCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "client-document", abstract: "Print the client metadata document to host on your own page.",
        discussion: """
            Some providers accept the URL of such a document as the client_id, so that no client is registered. Publish the output at the \
            URL as application/json, and set client_document to the URL in your configuration, or in the administrator's for all users. Yett \
            then uses it wherever a provider accepts it and names itself in its responses (RFC 9207).
            """)
    static let examples: KeyValuePairs = [
        "yett providers client-document https://example.org/yett.json": "Prints the document to publish at this URL."
    ]

    @Argument(help: "The URL of the document. Default: client_document in the configuration.")
    var url: String?

    func run(in context: CommandContext) async throws {
        guard let text = try url ?? context.configurationFile().read().clientDocument?.text else {
            throw AuthFailure(
                .usage, text: "no URL is given, and client_document is not configured",
                hint: "give the URL where you will publish the document: yett providers client-document https://example.org/yett.json")
        }
        guard let address = ClientIDDocument.url(text) else {
            throw AuthFailure(
                .usage, text: "'\(text)' is not a valid client metadata URL", hint: "use an https URL with a path and without a query")
        }
        try context.console.answer(Document(value: ProviderPlan.clientDocument(at: address)), asJSON: false)
    }

    /// The document.
    private struct Document: Answer {
        let value: JSONValue

        var lines: [String] { [value.text] }
        var json: JSONValue { value }
    }
}
