import Foundation
import PackagePlugin

/// Embeds every TOML file of a target into its code, as `Themes.files`.
///
/// SwiftPM embeds files itself, but only as separate constants that code cannot enumerate.
@main struct EmbedThemes: BuildToolPlugin {
    /// Writes the Swift file: the first argument is its path, the others are the themes.
    private static let script = #"""
        set -eu
        output=$1
        shift
        {
            echo 'extension Themes {'
            echo '    static let files: [File] = ['
            for file; do
                name=${file##*/}
                printf '        File(name: "%s", content: [' "${name%.toml}"
                od -An -v -tu1 "$file" | tr -s ' \n' ',,' | sed 's/^,//; s/,$//'
                echo ']),'
            done
            echo '    ]'
            echo '}'
        } >"$output"
        """#

    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        guard let target = target as? any SourceModuleTarget else { return [] }
        let themes = target.sourceFiles(withSuffix: "toml").map(\.url).sorted { $0.path < $1.path }
        let output = context.pluginWorkDirectoryURL.appending(path: "Themes+Files.swift")
        return [
            .buildCommand(
                displayName: "Embedding \(themes.count) themes", executable: URL(filePath: "/bin/sh"),
                arguments: ["-c", Self.script, "sh", output.path] + themes.map(\.path), inputFiles: themes, outputFiles: [output])
        ]
    }
}
