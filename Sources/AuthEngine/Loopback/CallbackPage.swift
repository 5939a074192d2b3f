import NIOHTTP1

/// A fixed page that the browser shows.
///
/// A page never contains any part of a request, so nothing needs escaping. A page loads no style, script or other resource, and its header
/// fields forbid all of them.
enum CallbackPage: Equatable, CaseIterable {
    /// The page says "Received" and not "success", because the response is validated after the page is sent.
    case received
    case denied
    case unexpectedCallback
    case notFound
    case methodNotAllowed
    case over
    case tooLarge

    var status: HTTPResponseStatus {
        switch self {
        case .received, .denied: .ok
        case .unexpectedCallback: .badRequest
        case .notFound: .notFound
        case .methodNotAllowed: .methodNotAllowed
        case .over: .gone
        case .tooLarge: .requestHeaderFieldsTooLarge
        }
    }

    private var text: (title: String, body: String) {
        switch self {
        case .received: ("Received", "Yett received the response. Return to your terminal. You can close this page.")
        case .denied: ("Not signed in", "The sign-in was denied. Return to your terminal. You can close this page.")
        case .unexpectedCallback:
            (
                "Unexpected response",
                "This is not the expected response. Return to your terminal, and do not share this page's address."
            )
        case .notFound: ("Not found", "There is no page at this address.")
        case .methodNotAllowed: ("Not allowed", "This address accepts only the redirect of the sign-in.")
        case .over: ("Finished", "Yett is no longer waiting for a response. Return to your terminal. You can close this page.")
        case .tooLarge: ("Too large", "The request is too large for a sign-in response.")
        }
    }

    var html: String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>\(text.title) - Yett</title></head>
        <body><h1>\(text.title)</h1><p>\(text.body)</p></body>
        </html>

        """
    }

    var headers: HTTPHeaders {
        var headers: HTTPHeaders = [
            "Content-Type": "text/html; charset=utf-8",
            "Content-Length": String(html.utf8.count),
            "Cache-Control": "no-store",
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
            "Content-Security-Policy": "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
            "Connection": "close",
        ]
        if self == .methodNotAllowed { headers.add(name: "Allow", value: "GET") }
        return headers
    }
}
