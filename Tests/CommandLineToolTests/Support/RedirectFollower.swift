import AuthEngine
import AuthModel
import OAuth

/// A browser without a user: it follows redirects.
struct RedirectFollower {
    let transport: any HTTPTransport

    /// Visits `url` and follows its redirects; returns the status of the last page.
    @discardableResult
    func visit(_ url: WebURL) async -> Int? {
        var next: WebURL? = url
        var status: Int?
        for _ in 0..<10 {
            guard let here = next, let response = try? await transport.send(WebRequest(method: .get, url: here)) else { break }
            status = response.status
            guard (300..<400).contains(response.status), let location = response.header("Location") else { break }
            next = WebURL(location.hasPrefix("/") ? here.origin.description + location : location)
        }
        return status
    }
}
