# Types standard input into a shell on a terminal, after its prompt `READY> `, and prints what the screen got.
import os, pty, struct, sys, termios, fcntl

keys = sys.stdin.buffer.read()
pid, fd = pty.fork()
if pid == 0:
    fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 60, 200, 0, 0))
    os.execvp(sys.argv[1], sys.argv[1:])
out, typed = b"", False
while True:
    try:
        piece = os.read(fd, 65536)
    except OSError:
        break
    if not piece:
        break
    out += piece
    if not typed and b"READY> " in out:
        os.write(fd, keys)
        typed = True
os.waitpid(pid, 0)
sys.stdout.buffer.write(out)
