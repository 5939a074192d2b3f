public import AuthModel

/// One table of the configuration file, from which a kind reads its keys.
///
/// Errors name the file and the line, which the table knows, and say what would be correct. A method returns `nil` if the key is missing.
/// Every error is `.configuration`.
public protocol SettingsTable {
    /// Whether the key is present.
    func has(_ key: String) -> Bool

    /// Returns a text that is not empty.
    func text(_ key: String) throws(AuthFailure) -> String?

    /// Returns a text that is not empty, and throws if the key is missing; `hint` says what to add.
    func requiredText(_ key: String, hint: UserMessage) throws(AuthFailure) -> String

    /// Returns a Boolean.
    func flag(_ key: String) throws(AuthFailure) -> Bool?

    /// Returns a whole number within `range`.
    func wholeNumber(_ key: String, within range: ClosedRange<Int64>) throws(AuthFailure) -> Int64?

    /// Returns a list of texts, none of them empty.
    func texts(_ key: String) throws(AuthFailure) -> [String]?

    /// Returns a list of texts, or a single text as a list.
    func textOrTexts(_ key: String) throws(AuthFailure) -> [String]?

    /// Returns one of the words of an enumeration.
    func word<Word: RawRepresentable & CaseIterable>(
        _ key: String, as type: Word.Type
    ) throws(AuthFailure) -> Word? where Word.RawValue == String

    /// Returns a URL that secrets may be sent to: https, or http on a loopback address literal, without a fragment.
    func url(_ key: String) throws(AuthFailure) -> WebURL?

    /// Returns the value of the common key `issuer`.
    func issuer() throws(AuthFailure) -> Issuer?

    /// Returns a list of scopes, one per element.
    func scopes(_ key: String) throws(AuthFailure) -> [String]?

    /// Returns a command as an argument vector. The value is a list, or words separated by spaces.
    ///
    /// - Parameter example: a command as it is written in the file, for the error message.
    func command(_ key: String, example: String) throws(AuthFailure) -> [String]?

    /// Returns the name of a session, or of a provider if it has only one session.
    func session(_ key: String) throws(AuthFailure) -> SessionName?

    /// The keys of the table.
    var keys: [String] { get }

    /// Returns the table of a key.
    func table(_ key: String) throws(AuthFailure) -> (any SettingsTable)?

    /// Throws for a key that is not in `known`.
    func refuseKeys(otherThan known: [String]) throws(AuthFailure)

    /// Throws for the first of these keys that is present, because the provider itself determines these values.
    func refuse(_ keys: [String], because reason: UserMessage) throws(AuthFailure)

    // MARK: Errors

    /// Returns an error at the line of `key`, or of the table itself.
    func error(_ problem: UserMessage, at key: String?, hint: UserMessage?) -> AuthFailure

    /// Returns the error for a required key that is missing.
    func missing(_ key: String, hint: UserMessage) -> AuthFailure

    /// Returns the error for a word that is not one of the known words.
    func unknownWord(_ key: String, _ text: String, known: [String]) -> AuthFailure
}
