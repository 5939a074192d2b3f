import Glibc
import YettCommand

exit(await Program.run())
