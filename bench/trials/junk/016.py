"""{'rate': 20, 'instead': ['refused', 'unsupported', 'error'], 'instead_rate': 100}"""
import sys, os
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import junk
junk.main(16)
