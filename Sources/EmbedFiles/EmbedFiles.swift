import Foundation
import PackagePlugin

/// Embeds the data files of a target into its code, as `EmbeddedFiles.all`.
///
/// SwiftPM embeds files itself, but as arrays of numbers: a catalogue of messages then takes a minute to compile. Text takes no time, and
/// code can enumerate it.
@main struct EmbedFiles: BuildToolPlugin {
    /// Writes the Swift file: the first argument is its path, the others are the data files. They must be UTF-8, end with a line feed, and
    /// not contain `"""###`.
    private static let script = ####"""
        set -eu
        output=$1
        shift
        {
            echo '/// The data files of this module: their names, and their texts without the last line feed.'
            echo 'enum EmbeddedFiles {'
            echo '    static let all: [(name: String, text: StaticString)] = ['
            for file; do
                printf '        (\n            name: "%s",\n            text: ###"""\n' "${file##*/}"
                cat "$file"
                printf '"""###\n        ),\n'
            done
            echo '    ]'
            echo '}'
        } >"$output"
        """####

    private static let endings = ["json", "po", "toml"]

    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        guard let target = target as? any SourceModuleTarget else { return [] }
        let files = target.sourceFiles.map(\.url).filter { Self.endings.contains($0.pathExtension) }.sorted { $0.path < $1.path }
        let output = context.pluginWorkDirectoryURL.appending(path: "EmbeddedFiles.swift")
        return [
            .buildCommand(
                displayName: "Embedding \(files.count) files", executable: URL(filePath: "/bin/sh"),
                arguments: ["-c", Self.script, "sh", output.path] + files.map(\.path), inputFiles: files, outputFiles: [output])
        ]
    }
}
