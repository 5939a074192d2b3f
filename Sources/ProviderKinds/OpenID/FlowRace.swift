import AuthEngine
import AuthModel
import OAuth

/// Runs several flows at the same time. The first success ends the others, as do the deadline and a cancellation by the user.
///
/// The device flow may join later. The device code is requested a moment after the other flows have opened, so that the browser does not
/// wait for it, and a user who is already signed in there needs no code. It is requested again when the user asks for another code.
struct FlowRace<Outcome: Sendable>: Sendable {
    let flows: [any SignInFlow<Outcome>]
    let deadline: Duration
    let time: any TimeSource
    let attempt: AttemptChannel
    /// Opens the device flow with a new code, also when the user asks for another one after an expiry; `nil` if there are no device codes.
    var openDevice: (@Sendable () async throws(AuthFailure) -> any SignInFlow<Outcome>)?
    /// The time after which the race requests a device code without being asked; `nil` if it does not.
    var deviceDelay: Duration?

    private enum Finish: Sendable {
        case flow(Int, Result<Outcome, AuthFailure>)
        case requested
        /// The result of opening the device flow; `isRequest`: the user asked for it.
        case joined(Result<any SignInFlow<Outcome>, AuthFailure>, isRequest: Bool)
        case noneRequested
        case deadline
        case cancelled
    }

    /// Waits for the result, and closes every flow before it returns.
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
            if let deviceDelay {
                join(in: &group, after: deviceDelay)
            } else if openDevice != nil {
                awaitRequest(in: &group)
            }
            let outcome = await firstOutcome(of: &flows, in: &group)
            // The result is known while the browser's page is still being sent. Closing the listener sends it first.
            group.cancelAll()
            return outcome
        }
        for flow in flows { await flow.close() }
        return try outcome.get()
    }

    /// Waits for the first flow to succeed, or for the failure that ends the attempt.
    private func firstOutcome(
        of flows: inout [any SignInFlow<Outcome>], in group: inout TaskGroup<Finish>
    ) async -> Result<Outcome, AuthFailure> {
        // Count the device flow that is being opened.
        var waiting = flows.count + (deviceDelay == nil ? 0 : 1)
        while let finish = await group.next() {
            switch finish {
            case .flow(_, .success(let outcome)): return .success(outcome)
            case .flow(let index, .failure(let failure)):
                waiting -= 1
                if waiting == 0 || Task.isCancelled || flows[index].endsAttempt(failure) { return .failure(failure) }
                attempt.report(.warning(failure.message.followed(by: "phrase.other_methods_still_work")))
                if openDevice != nil, flows[index] is DeviceFlow { await attempt.offerDeviceCode() }
            case .requested:
                waiting += 1
                join(in: &group)
            case .joined(.success(let flow), _):
                let index = flows.count
                flows.append(flow)
                group.addTask { .flow(index, await flow.outcome()) }
                await attempt.deviceCodes.finish(.success(()))
                awaitRequest(in: &group)
            case .joined(.failure(let failure), let isRequest):
                waiting -= 1
                if waiting == 0 || Task.isCancelled { return .failure(failure) }
                if isRequest {
                    await attempt.deviceCodes.finish(.failure(failure))
                } else {
                    await attempt.reportDeviceCodeFailure(failure)
                }
                awaitRequest(in: &group)
            case .noneRequested: break
            case .deadline: return .failure(await timedOut(flows))
            case .cancelled: return .failure(.signInCancelled)
            }
        }
        return .failure(.signInCancelled)
    }

    /// Opens the device flow: at once if the user requested it, otherwise after a delay.
    private func join(in group: inout TaskGroup<Finish>, after delay: Duration? = nil) {
        guard let openDevice else { return }
        group.addTask {
            do throws(AuthFailure) {
                if let delay { try? await time.sleep(until: time.bootTime + delay) }
                if Task.isCancelled { throw AuthFailure.signInCancelled }
                return .joined(.success(try await openDevice()), isRequest: delay == nil)
            } catch {
                return .joined(.failure(error), isRequest: delay == nil)
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
        return AuthFailure(.timedOut, "sign_in.timed_out", hint: "hint.sign_in_again_with_timeout")
    }
}
