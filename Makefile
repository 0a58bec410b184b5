# What one types. All of it goes through ./run, which sets up what is missing.

.DEFAULT_GOAL := help
.PHONY: help setup demo try test lint docs generate pictures soak bench release clean

help: ## show this list
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1	\2/p' $(firstword $(MAKEFILE_LIST)) | expand -t 16

setup: ## set up everything (the other targets do this by themselves)
	@./run

demo: ## drive the simulated robot through a room; PORT=/dev/ttyUSB0 drives a real one
	@./run amigobot demo $(if $(PORT),--port $(PORT))

try: ## open a web page with the simulated robot inside; needs npm, and a browser such as Chromium
	@./run python -m tools.try_page build/try --open

# Most tests wait for another process. On CI's shared machines, which may stand still for seconds, one that fails is
# tried once more, and shown as an R.
test: ## run every test and the linters, five files at a time
	@./run python -m pytest -n 5 --dist loadfile --no-loadscope-reorder $(if $(CI),--reruns 1)

lint: ## run the linters alone
	@./run python -m pytest tests/test_lint.py

docs: ## write the documentation site, build/site/index.html
	@./run python -m sphinx --fail-on-warning --keep-going --jobs 2 --quiet $(if $(shell command -v npm),-t try) -d build/doctrees docs build/site
	@if command -v npm >/dev/null; then ./run python -m tools.try_page build/site/try; else echo "without npm the site has no try/"; fi
	@echo "wrote build/site/index.html"

generate: ## write every generated table and file anew, after a change of the code that they come from
	@for tool in interface_files cli_page protocol_tables python_reference fault_table field_table maps; do ./run python -m tools.$$tool || exit 1; done

pictures: ## draw the pictures of the documentation, with the simulator
	@./run python -m tools.pictures

soak: ## random orders of calls and faults, and 20,000 random inputs for each reader of bytes or files
	@./run python -m pytest amigobot_driver/test/test_state_machine.py amigobot_driver/test/test_fuzz.py --hypothesis-profile=long

bench: ## run the benchmarks
	@./run python -m benchmarks

release: ## write address and maintainer of tools/project.yaml into each file that states them
	@./run python -m tools.release

clean: ## delete all that was built and downloaded
	rm -rf .venv build install log
