internal import AuthModel
internal import OAuth
internal import SessionStore

/// Ends the provider's own session in the user's browser.
struct BrowserSessionEnd: Sendable {
    let time: any TimeSource

    /// Time limit for the browser at a provider's end-session page, which may need a click.
    private static let returnLimit: Duration = .seconds(120)
    /// Time limit for the browser to start.
    private static let browserStartLimit: Duration = .seconds(30)

    /// Prepares the end of the provider's own session: the redirect to the provider's page and, if configured, the listener for the
    /// browser's return. `page` is the provider's end-session URL; `nil` if it has none.
    ///
    /// If the listener for the return cannot be opened, the browser session is ended without it.
    func prepare(
        _ record: SessionRecord, at page: Result<WebURL?, AuthFailure>, adapter: any ProviderAdapter, receipt: inout SignOutReceipt
    ) async -> EndSessionWait? {
        var outcome: SignOutReceipt.Outcome
        var wait: EndSessionWait?
        do throws(AuthFailure) {
            if let url = try page.get() {
                var reason: UserMessage = "sign_out.no_redirect_configured"
                do throws(AuthFailure) {
                    wait = try await openReturn(record, adapter: adapter, receipt: &receipt)
                } catch {
                    reason = error.message
                }
                outcome = .unconfirmed(reason: UserMessage("sign_out.browser_cannot_return", ["reason": reason]))
                if wait == nil { wait = await openBrowserRedirect(to: url, saying: outcome, adapter: adapter, receipt: &receipt) }
                if receipt.browserReturn?.redirect != nil { outcome = .unconfirmed(reason: "browser.not_returned_yet") }
            } else {
                outcome = .skipped(reason: "sign_out.no_provider_page")
            }
        } catch {
            outcome = .failed(reason: error.message, isQueued: false)
        }
        receipt.entries.append(.init(.endBrowserSession, outcome))
        return wait
    }

    private func openReturn(
        _ record: SessionRecord, adapter: any ProviderAdapter, receipt: inout SignOutReceipt
    ) async throws(AuthFailure) -> EndSessionWait? {
        let configuration = adapter.configuration
        guard !configuration.postLogoutRedirects.isEmpty else { return nil }
        let listener = try await LoopbackListener.bind(rules: configuration.postLogoutRedirects)
        var random = SystemRandomNumberGenerator()
        let state = EndSession.state(using: &random)
        let url: WebURL?
        do throws(AuthFailure) {
            url = try await adapter.endSessionURL(for: record, returnTo: listener.redirectURI, state: state)
        } catch {
            await listener.close()
            throw error
        }
        guard let url, let redirect = WebURL(listener.redirectURI) else {
            await listener.close()
            return nil
        }
        _ = send(to: url, by: listener, receipt: &receipt)
        return awaiting(
            .answer(state), at: listener, redirect: redirect, within: min(Self.returnLimit, configuration.loginTimeout), receipt: &receipt)
    }

    /// Opens a port that redirects the browser once, for a provider from which the browser does not return. It hides the ID token in the
    /// URL from other users, and closes when the browser has left. Returns `nil` if the URL has no ID token or no port can be opened.
    private func openBrowserRedirect(
        to url: WebURL, saying outcome: SignOutReceipt.Outcome, adapter: any ProviderAdapter, receipt: inout SignOutReceipt
    ) async -> EndSessionWait? {
        receipt.browserURL = Self.shown(url)
        receipt.shownURL = Self.shown(url)
        guard url != Self.shown(url), let listener = try? await LoopbackListener.bind(rules: [.standard]) else { return nil }
        guard let departure = send(to: url, by: listener, receipt: &receipt) else {
            await listener.close()
            return nil
        }
        return awaiting(
            .leaving(departure.left, outcome), at: listener, redirect: nil,
            within: min(Self.browserStartLimit, adapter.configuration.loginTimeout), receipt: &receipt)
    }

    /// Makes the listener redirect the browser to the provider, if the provider's URL contains an ID token.
    private func send(
        to url: WebURL, by listener: LoopbackListener, receipt: inout SignOutReceipt
    ) -> LoopbackListener.BrowserRedirect? {
        var random = SystemRandomNumberGenerator()
        let departure = url == Self.shown(url) ? nil : listener.sendOnce(to: url, from: EndSession.state(using: &random).reveal())
        receipt.browserURL = departure?.address ?? Self.shown(url)
        receipt.shownURL = Self.shown(url)
        return departure
    }

    private func awaiting(
        _ event: EndSessionWait.Event, at listener: LoopbackListener, redirect: WebURL?, within limit: Duration,
        receipt: inout SignOutReceipt
    ) -> EndSessionWait {
        receipt.browserReturn = BrowserReturn(
            id: .init(AttemptIdentifiers.next(.signOut)), redirect: redirect, endsAt: time.now + limit)
        return EndSessionWait(listener: listener, event: event, time: time, deadline: time.bootTime + limit)
    }

    /// Returns the URL without the ID token.
    private static func shown(_ url: WebURL) -> WebURL { url.removing(query: "id_token_hint") ?? url }
}
