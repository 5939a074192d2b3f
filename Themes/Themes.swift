/// The themes that the program includes: the TOML files of this folder. They are compiled in, so no file is read at run time.
public enum Themes {
    /// An included theme: its name (the file name without its extension), and the TOML content of the file.
    public struct File: Sendable {
        /// The theme's name.
        public let name: String
        /// The content of the TOML file.
        public let content: [UInt8]
    }

    /// The name of the default theme.
    private static let standard = "gate"

    private static let files = EmbeddedFiles.all.map { file in
        File(name: String(file.name.dropLast(".toml".count)), content: file.text.withUTF8Buffer(Array.init))
    }

    /// All themes by name, the default first.
    public static let all = files.filter { $0.name == standard } + files.filter { $0.name != standard }
}
