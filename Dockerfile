# An image with rubato built and installed:
#   docker build -t rubato . && docker run rubato
#   docker run -v "$PWD":/data rubato rubato run /data/TRACE --gpu v100
FROM debian:12
COPY . /rubato
WORKDIR /rubato
RUN ./do build && cmake --install build
CMD ./do run && ./do test
