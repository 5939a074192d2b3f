/// Text from the user.
package enum TextInput: Equatable, Sendable {
    /// A pressed key.
    case key(Key)
    /// A paste.
    case paste(PastedText)
}

extension TextFieldContent {
    /// Handles typed or pasted text.
    package mutating func take(_ input: TextInput) {
        switch input {
        case .key(let key): _ = handle(key)
        case .paste(let text): paste(text)
        }
    }
}

extension SecretField {
    /// Handles typed or pasted text; a paste never submits.
    package mutating func take(_ input: TextInput) {
        switch input {
        case .key(let key): _ = handle(key)
        case .paste(let text): paste(text)
        }
    }
}
