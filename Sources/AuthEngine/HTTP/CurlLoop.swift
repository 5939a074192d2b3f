import AuthModel
import CLibraries
import Glibc
import OAuth
import Synchronization
import OperatingSystem

/// The thread that drives libcurl's multi interface.
///
/// All libcurl calls run on it; other threads only put orders into the mailbox and wake it. Without a transfer it sleeps.
final class CurlLoop: Sendable {
    typealias Completion = @Sendable (Result<WebResponse, AuthFailure>) -> Void

    /// Identifies a transfer before it is created.
    struct Ticket: Hashable, Sendable {
        fileprivate let number: UInt64
    }

    private enum Order: Sendable {
        case start(Ticket, CurlTransfer.Plan, Completion)
        case cancel(Ticket)
        case resume(Ticket)
    }

    private struct Mailbox {
        var orders: [Order] = []
        var lastTicket: UInt64 = 0
        var isStopped = false
    }

    private let mailbox = Mutex(Mailbox())
    // Created in `init` and freed by the thread after `isStopped` is set. Other threads only use it to wake the loop, which is allowed from
    // any thread and happens under the mailbox's lock while `isStopped` is not set.
    private nonisolated(unsafe) let multi: UnsafeMutableRawPointer

    /// Starts the thread; `nil` if there is no memory or no thread. libcurl must be loaded.
    init?() {
        guard let multi = ccurl_multi_new() else { return nil }
        self.multi = multi
        _ = ccurl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, 8)
        // Block signals on this thread: a broken pipe stays an error code, and SIGWINCH and SIGTERM go to the threads that handle them.
        guard DetachedThread.start(blocksSignals: true, { self.run() }) else {
            _ = ccurl_multi_free(multi)
            return nil
        }
    }

    func ticket() -> Ticket {
        mailbox.withLock { box in
            box.lastTicket += 1
            return Ticket(number: box.lastTicket)
        }
    }

    /// Starts a transfer. `completion` is called exactly once, on the loop's thread.
    func start(_ ticket: Ticket, _ plan: CurlTransfer.Plan, _ completion: @escaping Completion) {
        post(.start(ticket, plan, completion))
    }

    /// Cancels a transfer in progress. Does nothing if there is none with this ticket.
    func cancel(_ ticket: Ticket) {
        post(.cancel(ticket))
    }

    /// Lets a transfer continue that was paused. Does nothing if there is none with this ticket.
    func resume(_ ticket: Ticket) {
        post(.resume(ticket))
    }

    /// Cancels all transfers and ends the thread.
    func stop() {
        mailbox.withLock { box in
            guard !box.isStopped else { return }
            box.isStopped = true
            _ = ccurl_multi_wake(multi)
        }
    }

    private func post(_ order: Order) {
        mailbox.withLock { box in
            guard !box.isStopped else { return }
            box.orders.append(order)
            _ = ccurl_multi_wake(multi)
        }
    }

    // MARK: On the loop's thread

    private struct Running {
        var ticket: Ticket
        var transfer: CurlTransfer
        var completion: Completion
    }

    private struct State {
        var running: [UnsafeMutableRawPointer: Running] = [:]
        /// The running transfers that are connected and are to leave HTTP.
        var tunnels = CurlTunnels()
    }

    private func run() {
        var state = State()
        while true {
            guard processOrders(&state) else { break }
            _ = ccurl_multi_perform(multi)
            finishDone(&state)
            for ended in state.tunnels.advance() { finish(ended.easy, ended.result, &state) }
            guard state.tunnels.wait(multi, milliseconds: Self.dayInMilliseconds) else {
                stop(&state, AuthFailure(.bug, "http.cannot_wait"))
                continue
            }
        }
        stop(&state, CurlFailure.cancelled)
        _ = ccurl_multi_free(multi)
    }

    /// The longest wait. libcurl shortens it to its own next timer.
    private static let dayInMilliseconds: Int32 = 86_400_000

    /// Carries out the orders; returns whether the thread continues. Orders and the credentials in them are released when this returns,
    /// because the wait that follows can be long.
    private func processOrders(_ state: inout State) -> Bool {
        let (orders, isStopped) = mailbox.withLock { box in
            defer { box.orders = [] }
            return (box.orders, box.isStopped)
        }
        for order in orders { processOrder(order, &state) }
        return !isStopped
    }

    private func processOrder(_ order: Order, _ state: inout State) {
        switch order {
        case .start(let ticket, let plan, let completion):
            do throws(AuthFailure) {
                let transfer = try CurlTransfer(plan)
                guard ccurl_multi_add(multi, transfer.easy) == CURLM_OK else { throw AuthFailure(.bug, "http.transfer_refused") }
                state.running[transfer.easy] = Running(ticket: ticket, transfer: transfer, completion: completion)
            } catch {
                completion(.failure(error))
            }
        case .resume(let ticket):
            for (easy, entry) in state.running where entry.ticket == ticket && !state.tunnels.wake(easy) { _ = ccurl_easy_continue(easy) }
        case .cancel(let ticket):
            for (easy, entry) in state.running where entry.ticket == ticket { finish(easy, .failure(CurlFailure.cancelled), &state) }
        }
    }

    private func finishDone(_ state: inout State) {
        var easy: UnsafeMutableRawPointer?
        var code = CURLE_OK
        while ccurl_multi_next_done(multi, &easy, &code) {
            guard let easy, let entry = state.running[easy] else { continue }
            // libcurl closes the connection of a tunnel when its handle is removed.
            if code == CURLE_OK, entry.transfer.plan.tunnel != nil, state.tunnels.add(entry.transfer) { continue }
            state.running[easy] = nil
            let result = entry.transfer.result(code)
            _ = ccurl_multi_remove(multi, easy)
            entry.completion(result)
        }
    }

    private func finish(_ easy: UnsafeMutableRawPointer, _ result: Result<Void, AuthFailure>, _ state: inout State) {
        state.tunnels.remove(easy)
        guard let entry = state.running.removeValue(forKey: easy) else { return }
        entry.completion(result.map { WebResponse(status: 0, headers: [], body: []) })
        _ = ccurl_multi_remove(multi, easy)
    }

    private func stop(_ state: inout State, _ failure: AuthFailure) {
        for easy in Array(state.running.keys) { finish(easy, .failure(failure), &state) }
    }
}
