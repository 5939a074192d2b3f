internal import AuthModel

/// Flows that wait side by side: the first to succeed ends the others, and so do the deadline and the person's cancelling.
///
/// One more joins them while they wait: the device code. The provider is asked for it a moment after the others are open, so that no
/// browser waits for the answer and one that is signed in there already costs no code, and again when the person wants another one.
struct FlowRace<Outcome: Sendable>: Sendable {
    let flows: [any SignInFlow<Outcome>]
    let deadline: Duration
    let time: any TimeSource
    let attempt: AttemptReporter
    /// Gets a device code, and another one for the person who asks for it after one has expired; `nil` where none can be had.
    var openDevice: (@Sendable () async throws(AuthFailure) -> any SignInFlow<Outcome>)?
    /// Whether the race begins with getting a device code.
    var begunDevice = false

    /// How long the race goes on before it gets a device code: a browser whose person need not do anything is back by then.
    private static var moment: Duration { .seconds(1) }

    private enum Finish: Sendable {
        case flow(Int, Result<Outcome, AuthFailure>)
        case requested
        /// What came of getting a device code; `isRequest` where the person had asked for it.
        case joined(Result<any SignInFlow<Outcome>, AuthFailure>, isRequest: Bool)
        case noneRequested
        case deadline
        case cancelled
    }

    /// Waits for the end, and closes every flow before it returns.
    func run() async throws(AuthFailure) -> Outcome {
        var flows = flows
        let outcome = await withTaskGroup(of: Finish.self) { group in
            for (index, flow) in flows.enumerated() {
                group.addTask { .flow(index, await flow.outcome()) }
            }
            group.addTask {
                do { try await time.sleep(until: deadline) } catch { return .cancelled }
                return .deadline
            }
            if begunDevice {
                join(in: &group, isRequest: false)
            } else if openDevice != nil {
                awaitRequest(in: &group)
            }
            let outcome = await settle(&group, &flows)
            // The browser's page is on its way while the answer already counts; closing the listener lets it out first.
            group.cancelAll()
            return outcome
        }
        for flow in flows { await flow.close() }
        return try outcome.get()
    }

    private func settle(
        _ group: inout TaskGroup<Finish>, _ flows: inout [any SignInFlow<Outcome>]
    ) async -> Result<Outcome, AuthFailure> {
        // A way that is on its way counts as one.
        var waiting = flows.count + (begunDevice ? 1 : 0)
        while let finish = await group.next() {
            switch finish {
            case .flow(_, .success(let outcome)): return .success(outcome)
            case .flow(let index, .failure(let failure)):
                waiting -= 1
                if waiting == 0 || Task.isCancelled || flows[index].endsAttempt(failure) { return .failure(failure) }
                attempt.report(.warning(failure.summary + "; the other ways are still open"))
                if openDevice != nil, flows[index] is DeviceFlow { await attempt.offerDeviceCode() }
            case .requested:
                waiting += 1
                join(in: &group, isRequest: true)
            case .joined(.success(let flow), _):
                let index = flows.count
                flows.append(flow)
                group.addTask { .flow(index, await flow.outcome()) }
                await attempt.deviceCodes.settle(.success(()))
                awaitRequest(in: &group)
            case .joined(.failure(let failure), let isRequest):
                waiting -= 1
                if waiting == 0 || Task.isCancelled { return .failure(failure) }
                if isRequest {
                    await attempt.deviceCodes.settle(.failure(failure))
                } else {
                    await attempt.giveUpDeviceCode(failure)
                }
                awaitRequest(in: &group)
            case .noneRequested: break
            case .deadline: return .failure(await timedOut(flows))
            case .cancelled: return .failure(AuthFailure(.cancelled, "the sign-in was cancelled"))
            }
        }
        return .failure(AuthFailure(.cancelled, "the sign-in was cancelled"))
    }

    private func join(in group: inout TaskGroup<Finish>, isRequest: Bool) {
        guard let openDevice else { return }
        group.addTask {
            do throws(AuthFailure) {
                if !isRequest { try? await time.sleep(until: time.bootTime + Self.moment) }
                if Task.isCancelled { throw AuthFailure(.cancelled, "the sign-in was cancelled") }
                return .joined(.success(try await openDevice()), isRequest: isRequest)
            } catch {
                return .joined(.failure(error), isRequest: isRequest)
            }
        }
    }

    private func awaitRequest(in group: inout TaskGroup<Finish>) {
        group.addTask {
            for await _ in attempt.deviceCodes.requests { return .requested }
            return .noneRequested
        }
    }

    private func timedOut(_ flows: [any SignInFlow<Outcome>]) async -> AuthFailure {
        for flow in flows {
            if let failure = await flow.timedOut() { return failure }
        }
        return AuthFailure(.timedOut, "nobody signed in in time", hint: "sign in again, or give it longer with --timeout SECONDS")
    }
}
