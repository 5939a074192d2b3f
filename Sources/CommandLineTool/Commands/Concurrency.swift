extension Result {
    /// Returns the result of an asynchronous body.
    static func of(_ body: () async throws(Failure) -> Success) async -> Result {
        do throws(Failure) { return .success(try await body()) } catch { return .failure(error) }
    }
}

extension Sequence where Element: Sendable {
    /// Returns the values of a body that runs for all elements at once, in the order of the elements.
    func concurrentMap<Value: Sendable>(_ body: @escaping @Sendable (Element) async -> Value) async -> [Value] {
        await withTaskGroup(of: (Int, Value).self) { group in
            for (index, element) in enumerated() {
                group.addTask { (index, await body(element)) }
            }
            var values: [(Int, Value)] = []
            for await value in group { values.append(value) }
            return values.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }
}
