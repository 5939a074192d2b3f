import FastPath
import Glibc

exit(Launcher.becomeProgram(CommandLine.unsafeArgv))
