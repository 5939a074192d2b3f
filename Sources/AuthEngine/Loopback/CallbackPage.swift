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
        case .received: ("Received", "Yett has received the answer; return to your terminal. You can close this page.")
        case .denied: ("Not signed in", "The sign-in was declined; return to your terminal. You can close this page.")
        case .unexpectedCallback:
            (
                "Not awaited",
                "This is not the answer that Yett waits for. Return to your terminal, and never give this page's address to anybody."
            )
        case .notFound: ("Nothing here", "There is nothing at this address.")
        case .methodNotAllowed: ("Not this way", "Only a browser that comes from the sign-in is answered here.")
        case .over: ("Over", "Nothing is awaited here any more. Return to your terminal; you can close this page.")
        case .tooLarge: ("Too large", "The request is larger than any sign-in's answer.")
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
