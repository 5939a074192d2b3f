internal import AuthModel
internal import OAuth
internal import SessionStore
internal import Synchronization

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
        let state = EndSessionRequest.state(using: &random)
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
        guard let redirect = send(to: url, by: listener, receipt: &receipt) else {
            await listener.close()
            return nil
        }
        return awaiting(
            .leaving(redirect.left, outcome), at: listener, redirect: nil,
            within: min(Self.browserStartLimit, adapter.configuration.loginTimeout), receipt: &receipt)
    }

    /// Makes the listener redirect the browser to the provider, if the provider's URL contains an ID token.
    private func send(
        to url: WebURL, by listener: LoopbackListener, receipt: inout SignOutReceipt
    ) -> LoopbackListener.BrowserRedirect? {
        var random = SystemRandomNumberGenerator()
        let redirect = url == Self.shown(url) ? nil : listener.sendOnce(to: url, from: EndSessionRequest.state(using: &random).reveal())
        receipt.browserURL = redirect?.address ?? Self.shown(url)
        receipt.shownURL = Self.shown(url)
        return redirect
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

/// The waits for the browser after sign-outs.
final class BrowserReturns: Sendable {
    private struct Running {
        let browserReturn: BrowserReturn
        let task: Task<SignOutReceipt.Outcome, Never>
    }

    private let time: any TimeSource
    private let returns = Mutex<[BrowserReturn.ID: Running]>([:])

    init(time: any TimeSource) { self.time = time }

    deinit {
        for running in returns.withLock({ $0 }).values { running.task.cancel() }
    }

    /// Starts waiting for the browser.
    func begin(_ wait: EndSessionWait, as browserReturn: BrowserReturn) {
        // Drop expired waits whose result was never requested; their ports are closed.
        let now = time.now
        returns.withLock { returns in
            returns = returns.filter { now < $0.value.browserReturn.endsAt + .seconds(60) }
            returns[browserReturn.id] = Running(browserReturn: browserReturn, task: Task { await wait.outcome() })
        }
    }

    /// Waits for the browser after a sign-out and returns the outcome. Cancelling the task ends the wait.
    func outcome(of id: BrowserReturn.ID) async throws(AuthFailure) -> SignOutReceipt.Outcome {
        guard let task = returns.withLock({ $0[id]?.task }) else {
            throw AuthFailure(.usage, "sign_out.not_waiting_for_browser")
        }
        let outcome = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        returns.withLock { $0[id] = nil }
        if task.isCancelled { throw AuthFailure(.cancelled, "sign_out.browser_wait_cancelled") }
        return outcome
    }

    /// Ends the wait for a browser.
    func stopWaiting(for id: BrowserReturn.ID) async {
        guard let task = returns.withLock({ $0.removeValue(forKey: id)?.task }) else { return }
        task.cancel()
        _ = await task.value
    }
}

/// Waits for the browser to leave for a provider's end-session page, or to return from it, until the deadline or cancellation.
///
/// The first request completes it, with any state parameter: the session is already deleted here, so a forged request gains nothing, and
/// a provider that drops the state has still ended its session.
struct EndSessionWait: Sendable {
    let listener: LoopbackListener
    let event: Event
    let time: any TimeSource
    /// The deadline, in time since boot.
    let deadline: Duration

    /// The awaited event.
    enum Event: Sendable {
        /// The browser returns with this state.
        case answer(Secret)
        /// The browser leaves. The outcome is then final, because nothing more can be learned.
        case leaving(AsyncStream<Never>, SignOutReceipt.Outcome)
    }

    private enum Finish: Sendable {
        case left(SignOutReceipt.Outcome)
        case answer(EndSessionResponse)
        case deadline
        case cancelled
    }

    /// Returns the outcome for the provider's session. The port is closed when this returns.
    func outcome() async -> SignOutReceipt.Outcome {
        let finish = await withTaskGroup(of: Finish.self) { group in
            group.addTask { await serve() }
            group.addTask {
                do { try await time.sleep(until: deadline) } catch { return .cancelled }
                return .deadline
            }
            let first = await group.next() ?? .cancelled
            group.cancelAll()
            return first
        }
        await listener.close()
        return switch finish {
        case .left(let outcome): outcome
        case .answer(.matchingState): .done
        case .answer(.missingState):
            .unconfirmed(reason: "browser.returned_without_state")
        case .answer(.wrongState):
            .unconfirmed(reason: "browser.returned_with_wrong_state")
        case .deadline: .failed(reason: UserMessage("browser.awaited_action_missing", ["action": awaitedAction]), isQueued: false)
        case .cancelled: .failed(reason: "browser.wait_ended", isQueued: false)
        }
    }

    private var awaitedAction: UserMessage {
        switch event {
        case .answer: UserMessage("phrase.come_back")
        case .leaving: UserMessage("phrase.request_page")
        }
    }

    private func serve() async -> Finish {
        switch event {
        case .answer(let state): return await serve(state)
        case .leaving(let left, let outcome):
            for await _ in left {}
            return Task.isCancelled ? .cancelled : .left(outcome)
        }
    }

    private func serve(_ state: Secret) async -> Finish {
        let (answers, answer) = AsyncStream.makeStream(of: EndSessionResponse.self, bufferingPolicy: .bufferingOldest(1))
        try? await listener.serve { query in
            let response = EndSessionResponse(query: query, state: state)
            answer.yield(response)
            return response == .matchingState ? .accepted : .refused
        }
        answer.finish()
        for await response in answers { return .answer(response) }
        return .cancelled
    }
}
