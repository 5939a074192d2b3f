import YettCommand

Program.main()
