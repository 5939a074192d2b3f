/// A collection that counts how often its elements are read, so that a test can show that work is linear in their number. A slow machine
/// cannot fail such a test.
public struct CountedReads<Element>: RandomAccessCollection {
    /// Shared by the collection and its slices.
    private final class Counter {
        var value = 0
    }

    private let elements: [Element]
    private let counter = Counter()

    /// Creates a collection.
    public init(_ elements: [Element]) { self.elements = elements }

    /// The number of reads of an element so far.
    public var readCount: Int { counter.value }

    /// The index of the first element.
    public var startIndex: Int { 0 }
    /// The index after the last element.
    public var endIndex: Int { elements.count }

    /// Reads an element.
    public subscript(position: Int) -> Element {
        counter.value += 1
        return elements[position]
    }
}
