public import AuthModel

/// Client-ID metadata documents: a client identifier that is the https URL where the client's metadata stands
/// (draft-ietf-oauth-client-id-metadata-document).
public enum ClientIDDocument {
    /// Reads a client identifier of that kind; `nil` when it is none.
    ///
    /// https, with a path, without `.` and `..` in it, without user information, fragment and query. It is compared byte for byte.
    public static func url(_ clientID: String) -> WebURL? {
        guard let url = WebURL(clientID), url.origin.scheme == .https, url.fragment == nil, url.query == nil,
            !url.path.isEmpty, url.path != "/"
        else { return nil }
        let segments = url.path.split(separator: "/", omittingEmptySubsequences: false)
        let isPlain = segments.allSatisfy { segment in
            let plain = segment.lowercased().split(separator: "%2e", omittingEmptySubsequences: false).joined(separator: ".")
            return plain != "." && plain != ".."
        }
        return isPlain ? url : nil
    }

    /// The document to be served at the client identifier: the client's metadata, and the identifier itself.
    public static func document(_ registration: ClientRegistration, clientID: WebURL) -> JSONValue {
        .object([.init("client_id", .string(clientID.text))] + (registration.metadata.members ?? []))
    }
}
