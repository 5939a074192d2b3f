package import AuthModel

/// A configuration file of the administrator, for all users of the machine.
package struct SystemConfiguration: Sendable {
    /// The absolute path.
    package let path: String
    /// The content.
    package let text: String

    /// Creates a file from its path and content.
    package init(path: String, text: String) {
        self.path = path
        self.text = text
    }

    /// Reads `config.toml` of each folder; leaves out missing files.
    ///
    /// Throws `.configuration` if a folder or file belongs to another user than this one and root, or if others can change it.
    package static func files(in folders: [String]) throws(AuthFailure) -> [SystemConfiguration] {
        var files: [SystemConfiguration] = []
        for folder in folders {
            let path = folder + "/config.toml"
            guard FileStatus.exists(path) else { continue }
            try PrivateFile.checkDirectory(folder)
            guard let bytes = try PrivateFile.read(path) else { continue }
            files.append(SystemConfiguration(path: path, text: try PrivateFile.text(bytes, of: path)))
        }
        return files
    }
}

extension PrivateFile {
    /// Returns the content of a file as text. Throws `.configuration` if it is not UTF-8.
    package static func text(_ bytes: [UInt8], of path: String) throws(AuthFailure) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw AuthFailure(.configuration, UserMessage("file.not_utf8", ["path": path]), hint: "hint.save_as_utf8")
        }
        return text
    }
}
