/// The themes that come with the program. Their files are compiled in, so there is nothing to find at run time.
public enum Themes {
    /// A shipped theme: its name, which is its file's without the ending, and the TOML as it stands in the file.
    public struct File: Sendable {
        public let name: String
        public let content: [UInt8]
    }

    /// All of them, the default first.
    public static var all: [File] {
        [
            File(name: "gate", content: PackageResources.gate_toml),
            File(name: "daylight", content: PackageResources.daylight_toml),
            File(name: "chalk", content: PackageResources.chalk_toml),
            File(name: "harbour", content: PackageResources.harbour_toml),
            File(name: "moss", content: PackageResources.moss_toml),
            File(name: "dusk", content: PackageResources.dusk_toml),
            File(name: "amber", content: PackageResources.amber_toml),
            File(name: "contrast", content: PackageResources.contrast_toml),
            File(name: "plain", content: PackageResources.plain_toml),
        ]
    }
}
