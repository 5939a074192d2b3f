public import AuthModel

/// One table of the configuration while a kind reads its keys there.
///
/// Whatever is wrong is told with the file and the line, which the table knows, and says what would have been right. Values are `nil` where
/// their key is not there; what throws, throws `.configuration`.
public protocol SettingsTable {
    func has(_ key: String) -> Bool

    /// A text that is not empty.
    func text(_ key: String) throws(AuthFailure) -> String?

    /// The same, where it must be there; `hint` says what to add.
    func requiredText(_ key: String, hint: String) throws(AuthFailure) -> String

    func flag(_ key: String) throws(AuthFailure) -> Bool?

    func wholeNumber(_ key: String, within range: ClosedRange<Int64>) throws(AuthFailure) -> Int64?

    /// A list of texts, none of them empty.
    func texts(_ key: String) throws(AuthFailure) -> [String]?

    /// A text, or a list of texts.
    func textOrTexts(_ key: String) throws(AuthFailure) -> [String]?

    /// One of the words of an enumeration.
    func word<Word: RawRepresentable & CaseIterable>(
        _ key: String, as type: Word.Type
    ) throws(AuthFailure) -> Word? where Word.RawValue == String

    /// An address that may be sent secrets: https, or http on a loopback literal, without a fragment.
    func url(_ key: String) throws(AuthFailure) -> WebURL?

    /// `issuer`, as the common keys have it.
    func issuer() throws(AuthFailure) -> Issuer?

    /// A list of scopes, one each.
    func scopes(_ key: String) throws(AuthFailure) -> [String]?

    /// A command as an argument vector: a list, or words between blanks.
    ///
    /// - Parameter example: one as it is written in the file, for the message.
    func command(_ key: String, example: String) throws(AuthFailure) -> [String]?

    /// The name of a session, or of a provider whose only one is meant.
    func session(_ key: String) throws(AuthFailure) -> SessionName?

    /// Refuses the first of these keys that is there: the provider tells by itself what they would say.
    func refuse(_ keys: [String], because reason: String) throws(AuthFailure)

    // MARK: What is wrong

    /// A failure at the line of `key`, or of the table itself.
    func error(_ summary: String, at key: String?, hint: String?) -> AuthFailure

    /// That a key is not there which must be.
    func missing(_ key: String, hint: String) -> AuthFailure

    /// That a word is none of those which are known.
    func unknownWord(_ key: String, _ text: String, known: [String]) -> AuthFailure
}

extension WebURL {
    /// The address without the slash at its end, to put paths behind; `nil` where it has a query.
    var asBase: WebURL? {
        guard query == nil else { return nil }
        return text.last == "/" ? WebURL(String(text.dropLast())) : self
    }
}
