public import AuthModel
internal import OAuth
internal import SessionStore

extension Engine {
    /// How long a browser may take at a provider's end-session page, which may want a click.
    private static let returnLimit: Duration = .seconds(120)

    /// Prepares the end of the provider's own session in the person's browser: where it goes, and how it comes back, where it does.
    ///
    /// A way back that cannot be opened is no reason to keep that session.
    func endBrowserSession(
        _ record: SessionRecord, adapter: any ProviderAdapter, receipt: inout SignOutReceipt
    ) async -> BrowserReturnWait? {
        let outcome: SignOutReceipt.Outcome
        var wait: BrowserReturnWait?
        do throws(AuthFailure) {
            if let url = try await adapter.endSessionURL(for: record) {
                receipt.browserURL = url
                do throws(AuthFailure) {
                    wait = try await openReturn(record, adapter: adapter, receipt: &receipt)
                    outcome = .unconfirmed(
                        reason: wait == nil
                            ? "the browser does not come back from there: no post_logout_redirect is configured"
                            : "the browser has not come back yet")
                } catch {
                    outcome = .unconfirmed(reason: "the browser does not come back from there: \(error.summary)")
                }
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
        let limit = min(Self.returnLimit, configuration.loginTimeout)
        receipt.browserURL = url
        receipt.browserReturn = BrowserReturn(
            id: .init(AttemptNames.next(.signOut)), redirect: redirect, endsAt: environment.time.now + limit)
        return BrowserReturnWait(
            listener: listener, state: state, time: environment.time, deadline: environment.time.bootTime + limit)
    }

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
