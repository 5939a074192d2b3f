/// A random number generator determined by a seed (SplitMix64): the same seed gives the same numbers on every machine.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Creates the generator for a seed.
    public init(seed: UInt64) { state = seed }

    /// Creates the generator for one input of a run, so that an input can be created again without those before it.
    public init(seed: UInt64, input: UInt64) {
        var mixer = SeededGenerator(seed: seed)
        state = mixer.next() ^ input &* 0xD1B5_4A32_D192_ED03
    }

    /// Returns the next random number.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }

    /// Returns a number from 0 up to, but not including, `bound`, which is positive. Not suitable for secrets.
    package mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

    /// Returns a random element of a non-empty list.
    package mutating func pick<Element>(_ list: [Element]) -> Element { list[below(list.count)] }
}
