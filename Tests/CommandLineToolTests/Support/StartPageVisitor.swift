import AuthModel
import ProcessHarness

/// The browser of a user at the page that starts a sign-in.
struct StartPageVisitor {
    let address: WebURL

    /// Opens the page, and returns what it shows.
    func read() async -> String { await RawClient.get(address.path, port: address.origin.port) ?? "" }

    /// Opens the page and clicks. Returns what the page shows then; `nil` if it has no button.
    func click() async -> String? {
        guard let once = await read().firstMatch(of: /name="once" value="([^"]+)"/)?.output.1 else { return nil }
        return await click(once: once)
    }

    /// Clicks on a page that was opened before.
    func click(once: some StringProtocol) async -> String {
        let body = "once=\(once)"
        return await RawClient.exchange(
            port: address.origin.port,
            "POST \(address.path) HTTP/1.1\r\nHost: \(address.origin.authority)\r\nOrigin: \(address.origin)\r\n"
                + "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)") ?? ""
    }
}
