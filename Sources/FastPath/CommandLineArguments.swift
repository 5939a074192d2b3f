internal import CLauncher

/// The command line of this process.
struct CommandLineArguments {
    /// The number of arguments, with the program's name.
    let count: Int
    private let arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>

    init(count: Int32, arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) {
        self.count = Int(count)
        self.arguments = arguments
    }

    subscript(_ index: Int) -> UnsafePointer<CChar>? {
        guard (0..<count).contains(index) else { return nil }
        return UnsafePointer(arguments[index])
    }

    /// Returns whether the argument at a position is this word.
    func `is`(_ word: StaticString, at index: Int) -> Bool {
        guard let argument = self[index] else { return false }
        return strcmp(argument, UnsafeRawPointer(word.utf8Start).assumingMemoryBound(to: CChar.self)) == 0
    }

    /// Returns whether an argument from `index` on is this word.
    func contains(_ word: StaticString, from index: Int) -> Bool {
        var index = index
        while index < count {
            if self.is(word, at: index) { return true }
            index += 1
        }
        return false
    }
}
