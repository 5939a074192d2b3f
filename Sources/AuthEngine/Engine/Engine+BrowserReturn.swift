public import AuthModel
internal import OAuth
internal import SessionStore

extension Engine {
    /// How long a browser may take at a provider's end-session page, which may want a click.
    private static let returnLimit: Duration = .seconds(120)
    /// How long a browser may take to start.
    private static let departureLimit: Duration = .seconds(30)

    /// Prepares the end of the provider's own session in the person's browser: how it leaves, where it goes, and how it comes back, where
    /// it does. `page` is the provider's place for it, `nil` where it has none.
    ///
    /// A way back that cannot be opened is no reason to keep that session.
    func endBrowserSession(
        _ record: SessionRecord, at page: Result<WebURL?, AuthFailure>, adapter: any ProviderAdapter, receipt: inout SignOutReceipt
    ) async -> BrowserReturnWait? {
        var outcome: SignOutReceipt.Outcome
        var wait: BrowserReturnWait?
        do throws(AuthFailure) {
            if let url = try page.get() {
                var reason = "no post_logout_redirect is configured"
                do throws(AuthFailure) {
                    wait = try await openReturn(record, adapter: adapter, receipt: &receipt)
                } catch {
                    reason = error.summary
                }
                outcome = .unconfirmed(reason: "the browser does not come back from there: " + reason)
                if wait == nil { wait = await openDeparture(to: url, saying: outcome, adapter: adapter, receipt: &receipt) }
                if receipt.browserReturn?.redirect != nil { outcome = .unconfirmed(reason: "the browser has not come back yet") }
            } else {
                outcome = .skipped(reason: "the provider has no place for it")
            }
        } catch {
            outcome = .failed(reason: error.summary, isQueued: false)
        }
        receipt.entries.append(.init(.endBrowserSession, outcome))
        return wait
    }

    private func openReturn(
        _ record: SessionRecord, adapter: any ProviderAdapter, receipt: inout SignOutReceipt
    ) async throws(AuthFailure) -> BrowserReturnWait? {
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

    /// Where nobody comes back: a port that is open until the browser has left, where its way is nobody else's to see.
    private func openDeparture(
        to url: WebURL, saying outcome: SignOutReceipt.Outcome, adapter: any ProviderAdapter, receipt: inout SignOutReceipt
    ) async -> BrowserReturnWait? {
        receipt.browserURL = Self.shown(url)
        receipt.shownURL = Self.shown(url)
        guard url != Self.shown(url), let listener = try? await LoopbackListener.bind(rules: [.standard]) else { return nil }
        guard let departure = send(to: url, by: listener, receipt: &receipt) else {
            await listener.close()
            return nil
        }
        return awaiting(
            .leaving(departure.left, outcome), at: listener, redirect: nil,
            within: min(Self.departureLimit, adapter.configuration.loginTimeout), receipt: &receipt)
    }

    /// Lets the listener send the browser to the provider where its way there holds an ID token.
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
        _ event: BrowserReturnWait.Event, at listener: LoopbackListener, redirect: WebURL?, within limit: Duration,
        receipt: inout SignOutReceipt
    ) -> BrowserReturnWait {
        receipt.browserReturn = BrowserReturn(
            id: .init(AttemptIdentifiers.next(.signOut)), redirect: redirect, endsAt: environment.time.now + limit)
        return BrowserReturnWait(
            listener: listener, event: event, time: environment.time, deadline: environment.time.bootTime + limit)
    }

    /// The address without the ID token.
    private static func shown(_ url: WebURL) -> WebURL { url.removing(query: "id_token_hint") ?? url }

    /// Listens from now on.
    func begin(_ wait: BrowserReturnWait, as way: BrowserReturn) {
        // Those that nobody ever asked for are long over, and their ports closed.
        let now = environment.time.now
        returns = returns.filter { now < $0.value.way.endsAt + .seconds(60) }
        returns[way.id] = RunningReturn(way: way, task: Task { await wait.outcome() })
    }

    public func browserReturn(_ id: BrowserReturn.ID) async throws(AuthFailure) -> SignOutReceipt.Outcome {
        guard let running = returns[id] else { throw AuthFailure(.usage, "nobody waits for that browser to come back") }
        let task = running.task
        let outcome = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        returns[id] = nil
        if task.isCancelled { throw AuthFailure(.cancelled, "nobody waits for the browser any more") }
        return outcome
    }

    public func stopWaiting(for id: BrowserReturn.ID) async {
        guard let running = returns.removeValue(forKey: id) else { return }
        running.task.cancel()
        _ = await running.task.value
    }
}

/// A browser that is awaited.
struct RunningReturn {
    let way: BrowserReturn
    let task: Task<SignOutReceipt.Outcome, Never>
}
