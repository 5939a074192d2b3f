public import AuthModel

/// Client ID metadata documents: a client identifier that is the https URL of the client's metadata
/// (draft-ietf-oauth-client-id-metadata-document).
public enum ClientIDDocument {
    /// Parses a client identifier of this kind; returns `nil` if it is a different kind.
    ///
    /// It must be https, with a path without `.` and `..` segments, and without user information, fragment and query. It is compared byte
    /// for byte.
    public static func url(_ clientID: String) -> WebURL? {
        guard let url = WebURL(clientID), url.origin.scheme == .https, url.fragment == nil, url.query == nil,
            !url.path.isEmpty, url.path != "/"
        else { return nil }
        let segments = url.path.split(separator: "/", omittingEmptySubsequences: false)
        let isPlain = segments.allSatisfy { segment in
            let plain = segment.asciiLowercased().split(separator: "%2e", omittingEmptySubsequences: false).joined(separator: ".")
            return plain != "." && plain != ".."
        }
        return isPlain ? url : nil
    }

    /// Returns the document to serve at the client identifier: the client's metadata with the identifier.
    public static func document(_ registration: ClientRegistration, clientID: WebURL) -> JSONValue {
        .object([.init("client_id", .string(clientID.text))] + (registration.metadata.members ?? []))
    }
}
