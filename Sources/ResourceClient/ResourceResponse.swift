package import AuthModel
package import OAuth

/// The final response of a resource, and how it was requested.
package struct ResourceResponse: Sendable {
    /// The address that responded, after redirects within its host.
    package let url: WebURL
    /// The response.
    package let response: WebResponse
    /// Whether the request was sent without a token.
    package let isAnonymous: Bool
}
