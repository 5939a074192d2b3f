extension Document {
    /// The content of a form row, next to its label.
    package enum Input: Equatable, Sendable {
        /// A text field; the placeholder is shown while it is empty.
        case text(TextFieldContent, placeholder: String)
        /// A masked field.
        case secret(SecretField)
        /// The selected option, and whether there are others.
        case choice(String, hasOthers: Bool)
    }

    /// Returns the scroll offset that makes `rows` visible in a page of `height` rows.
    package static func scroll(to rows: Range<Int>, height: Int) -> Int {
        min(max(0, rows.upperBound - height), rows.lowerBound)
    }
}
