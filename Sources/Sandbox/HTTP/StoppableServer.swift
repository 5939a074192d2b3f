/// A server that runs until it is stopped.
protocol StoppableServer: Sendable {
    /// Closes the port and all connections. When this returns, the port is free.
    func stop() async
}

extension StoppableServer {
    /// Passes the server to `body`, and stops it in every case.
    func stopping<Result: Sendable>(after body: (Self) async throws -> Result) async throws -> Result {
        do {
            let result = try await body(self)
            await stop()
            return result
        } catch {
            await stop()
            throw error
        }
    }
}
