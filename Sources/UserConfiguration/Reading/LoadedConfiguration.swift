package import AuthModel

/// A configuration, with the files that it comes from.
package struct LoadedConfiguration: Sendable {
    /// The configuration in force.
    package var configuration: Configuration
    /// The administrator's files, most preferred first.
    package var systemFiles: [String] = []
    /// The keys that the administrator locked.
    package var locked: [LockedKey] = []
    /// The user's settings that have no effect, because their keys are locked.
    package var ignored: [IgnoredSetting] = []
    private let document: ConfigurationDocument

    init(_ configuration: Configuration, from document: ConfigurationDocument) {
        self.configuration = configuration
        self.document = document
    }

    /// Returns the files that define a provider, most preferred first.
    package func files(of provider: ProviderName) -> [String] { document.files(with: ["providers", provider.text]) }

    /// Returns the most preferred system file that defines a provider; `nil` if none does.
    package func systemFile(of provider: ProviderName) -> String? { files(of: provider).first(where: systemFiles.contains) }
}
