/// The lines by which two texts differ, between the first and the last of them.
struct LineDifference: Equatable {
    let before: [String]
    let after: [String]

    init(before: [String], after: [String]) { (self.before, self.after) = (before, after) }

    init(from old: String, to new: String) {
        var old = Self.lines(of: old)[...]
        var new = Self.lines(of: new)[...]
        while let line = old.first, line == new.first { (old, new) = (old.dropFirst(), new.dropFirst()) }
        while let line = old.last, line == new.last { (old, new) = (old.dropLast(), new.dropLast()) }
        (before, after) = (Array(old), Array(new))
    }

    private static func lines(of text: String) -> [String] {
        let spaced = text.replacing("\t", with: "  ")
        var lines = spaced.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map(String.init)
        if lines.last == "" { lines.removeLast() }
        return lines
    }
}
