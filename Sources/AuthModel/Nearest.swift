extension Collection<String> {
    /// Returns the element that is most similar to `text`, for hints. At most a third of the letters may differ.
    public func nearest(to text: String) -> String? {
        let ranked = map { ($0, edits(from: $0, to: text)) }.min { ($0.1, $0.0) < ($1.1, $1.0) }
        guard let (word, count) = ranked, count <= Swift.max(1, text.count / 3) else { return nil }
        return word
    }
}

/// Returns the number of letters to add, remove or replace (Levenshtein distance).
private func edits(from left: String, to right: String) -> Int {
    let right = Array(right)
    var row = Array(0...right.count)
    for (index, letter) in left.enumerated() {
        var diagonal = row[0]
        row[0] = index + 1
        for column in right.indices {
            let above = row[column + 1]
            row[column + 1] = Swift.min(above + 1, row[column] + 1, diagonal + (letter == right[column] ? 0 : 1))
            diagonal = above
        }
    }
    return row[right.count]
}
