extension TOMLEditor {
    /// Appends a string to an array of strings, in the array's own layout. Sets the key if there is none.
    ///
    /// - Throws: if the current text is not valid TOML.
    public mutating func append(_ text: String, to key: String, in table: [String]) throws(TOMLError) {
        guard let array = try TOMLStringArray(key, in: table, of: self.text) else {
            return try set(key, in: table, to: TOMLText.list([text]))
        }
        try set(key, in: table, to: array.appending(TOMLText.quoted(text)))
    }

    /// Removes an element of an array of strings by its position. Does nothing if there is no such array or position.
    ///
    /// - Throws: if the current text is not valid TOML.
    public mutating func removeElement(_ index: Int, of key: String, in table: [String]) throws(TOMLError) {
        guard let array = try TOMLStringArray(key, in: table, of: text), array.elements.indices.contains(index) else { return }
        try set(key, in: table, to: array.removing(index))
    }
}
