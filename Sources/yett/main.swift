import FastPath
import Glibc

Launcher.closeMemory()
if Launcher.handlesTokenCommand(count: CommandLine.argc, arguments: CommandLine.unsafeArgv) { exit(0) }
exit(Launcher.becomeProgram(CommandLine.unsafeArgv))
