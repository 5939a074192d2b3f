internal import AuthEngine
internal import AuthModel
internal import OAuth

/// The end of the bridge, within two seconds of the end of input, even if the server or a sign-in takes longer.
extension Bridge {
    /// How long answers are awaited after the end of input, and then the end of the session.
    private static let lastAnswers = Duration.milliseconds(1500)
    private static let lastRequest = Duration.milliseconds(400)

    /// Ends all streams, because their token may no longer be used: after a lock, or when the session has ended. Those that can be resumed are
    /// resumed when there is a token again; the requests of the others get an error.
    package func withdraw() {
        for body in open.values { body.close() }
    }

    /// Waits for the last answers, answers the other requests with an error, and ends the session at the server.
    func finish() async {
        let deadline = time.bootTime + (Task.isCancelled || isClientGone ? .zero : Self.lastAnswers)
        let timer = Task { [time] in
            try? await time.sleep(until: deadline)
            free()
        }
        while unsent > 0 || waiting.values.contains(where: { !$0.isCancelled }), time.bootTime < deadline, !Task.isCancelled {
            await waitForRoom()
        }
        timer.cancel()
        held = []
        listener?.cancel()
        lastPassed?.cancel()
        // A task may take longer to end than there is time, so nothing waits for it.
        for task in Set(waiting.values.compactMap(\.task)) { task.cancel() }
        for entry in waiting.values where settle(entry.id) && !entry.isCancelled {
            await write(RPCError.connectionLost.line(answering: entry.id))
        }
        // An answer is settled before it is written.
        await lastWrite?.value
        guard let request = session.ending() else { return }
        // The task may be cancelled; the server must hear of the end all the same.
        let ending = Task { [connection] in _ = try? await connection.response(to: request, isClients: false) }
        let over = Task { [time, deadline = time.bootTime + Self.lastRequest] in
            try? await time.sleep(until: deadline)
            ending.cancel()
        }
        await ending.value
        over.cancel()
    }
}
