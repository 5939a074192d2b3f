/// The themes that the program includes. Their files are compiled in, so no file is read at run time.
public enum Themes {
    /// An included theme: its name (the file name without its extension), and the TOML content of the file.
    public struct File: Sendable {
        /// The theme's name.
        public let name: String
        /// The content of the TOML file.
        public let content: [UInt8]
    }

    /// All themes, the default first.
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
