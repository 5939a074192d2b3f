internal import AuthModel
internal import UserConfiguration

/// The new content of a file.
struct FileEdit: Sendable {
    let path: String
    /// The content that the edit was made from; `nil` if there was no file.
    let before: [UInt8]?
    /// The new content.
    let after: String
    /// Whether the file is removed. The target of a symbolic link, which the user made, gets the new content instead.
    var isRemoval = false
    /// Whether users may run the file.
    var isProgram = false

    /// Writes the file. Throws if another program changed it in the meantime.
    func write() throws(AuthFailure) {
        let folder = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
        try PrivateFile.makeDirectory(folder)
        try PrivateFile.withLock(on: folder) { () throws(AuthFailure) in
            guard try PrivateFile.read(path) == before else {
                throw AuthFailure(.configuration, text: "another program changed \(path)", hint: "run the command again")
            }
            guard !isRemoval || FileSnapshot.isLink(path) else { return try FileSnapshot.remove(path) }
            try PrivateFile.replace(path, with: Array(after.utf8))
            if isProgram { try FileSnapshot.makeProgram(path) }
        }
    }
}
