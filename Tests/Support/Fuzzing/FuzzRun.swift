/// One fuzzing run over one reader.
public struct FuzzRun: Sendable {
    /// The reader under test.
    public let reader: FuzzedReader
    /// The seed that determines all inputs of the run.
    public let seed: UInt64
    private let mutator: Mutator
    private let kept: [[UInt8]]

    /// An input for which the reader violated a property.
    public struct Finding: Error, Sendable {
        /// The seed of the run.
        public let seed: UInt64
        /// The input's number in the run; negative for an unchanged input of the corpus.
        public let number: Int
        /// The input's bytes.
        public let input: [UInt8]
        /// A description of the violation.
        public let text: String
    }

    /// The numbers of accepted and refused inputs in a run without a finding.
    public struct Tally: Equatable, Sendable {
        /// The number of inputs that the reader accepted.
        public var taken = 0
        /// The number of inputs that the reader refused.
        public var refused = 0
        /// The number of all inputs.
        public var count: Int { taken + refused }
        /// Creates counts of 0.
        public init() {}
    }

    /// Creates a run.
    /// - Throws: if the corpus cannot be read.
    public init(_ reader: FuzzedReader, seed: UInt64) throws {
        self.reader = reader
        self.seed = seed
        kept = try Corpus.inputs(of: reader.name) + reader.seeds
        mutator = Mutator(corpus: kept, words: reader.words, maximumLength: reader.maximumLength)
    }

    /// Returns the input with the given number.
    public func input(_ number: Int) -> [UInt8] {
        var generator = SeededGenerator(seed: seed, input: UInt64(number))
        if let reshape = reader.reshape, generator.below(2) == 0 {
            return Array(reshape(generator.pick(kept), mutator, &generator).prefix(reader.maximumLength))
        }
        return mutator.input(using: &generator)
    }

    /// Checks the unchanged corpus, and then the inputs in `numbers`.
    ///
    /// - Parameter watch: called with each input before it is read.
    /// - Throws: a ``Finding``, or what `watch` throws.
    public func over(_ numbers: Range<Int>, watch: (_ number: Int, _ input: [UInt8]) throws -> Void = { _, _ in }) async throws -> Tally {
        var tally = Tally()
        for (index, input) in kept.enumerated() { try await read(input, index - kept.count, &tally, watch) }
        for number in numbers { try await read(input(number), number, &tally, watch) }
        return tally
    }

    private func read(_ input: [UInt8], _ number: Int, _ tally: inout Tally, _ watch: (Int, [UInt8]) throws -> Void) async throws {
        try watch(number, input)
        do throws(BrokenProperty) {
            if try await reader.check(input) { tally.taken += 1 } else { tally.refused += 1 }
        } catch {
            throw Finding(seed: seed, number: number, input: input, text: error.text)
        }
    }
}

extension FuzzRun.Finding: CustomStringConvertible {
    public var description: String { "input \(number) of seed \(seed): \(text): \(Hexadecimal.text(input))" }
}

/// Bytes as hexadecimal digits, for messages that users copy.
public enum Hexadecimal {
    /// Returns two lowercase digits per byte.
    public static func text(_ bytes: [UInt8]) -> String {
        bytes.map { byte in
            let digits = String(byte, radix: 16)
            return digits.utf8.count == 1 ? "0" + digits : digits
        }.joined()
    }
}
